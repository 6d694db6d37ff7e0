-- Rows that an earlier version accepted and could not read back: a name of `_` and `-` alone gave an empty display name,
-- and a question that looks like a UUID gave such a name.
update tools set display_name = name where display_name = '';
update playbooks set display_name = name where display_name = '';
update faqs set name = 'faq-' || name
  where name ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
    and not exists (select from faqs other where other.name = 'faq-' || faqs.name);
