/**
 * A database's schema as SQL, read from PostgreSQL's catalogs: tables, constraints, indexes, triggers and the heads of
 * functions, each kind ordered by name. The bodies of functions are in `migrations/tenant/functions`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Columns keep the table's order. PostgreSQL 18 also lists `not null` as constraints, which are left out. */
const tables = `
  select format(E'create table %I (\\n  %s\\n)%s;', t.relname,
    concat_ws(E',\\n  ',
      (select string_agg(concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
          'collate ' || quote_ident((select c.collname from pg_collation c join pg_type y on y.oid = a.atttypid
                                     where c.oid = a.attcollation and c.oid <> y.typcollation)),
          case when a.attstorage <> (select y.typstorage from pg_type y where y.oid = a.atttypid)
               then 'storage ' || case a.attstorage when 'p' then 'plain' when 'e' then 'external'
                                                    when 'm' then 'main' else 'extended' end end,
          case when a.attnotnull then 'not null' end,
          case when a.attgenerated = 's' then format('generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
               else 'default ' || pg_get_expr(d.adbin, d.adrelid) end), E',\\n  ' order by a.attnum)
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped),
      (select string_agg(format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), E',\\n  ' order by k.conname)
        from pg_constraint k where k.conrelid = t.oid and k.contype in ('p', 'u', 'c', 'f', 'x'))),
    ' with (' || array_to_string(t.reloptions, ', ') || ')')
  from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' order by t.relname`

/** The index of a primary key or unique constraint is listed with its table. */
const indexes = `
  select pg_get_indexdef(i.indexrelid) || ';'
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = 'public'::regnamespace and not exists (select from pg_constraint k where k.conindid = c.oid)
  order by c.relname`

const triggers = `
  select pg_get_triggerdef(g.oid) || ';'
  from pg_trigger g join pg_class t on t.oid = g.tgrelid
  where t.relnamespace = 'public'::regnamespace and not g.tgisinternal order by t.relname, g.tgname`

const functions = `
  select concat_ws(' ', format('create function %I(%s) returns %s', p.proname, pg_get_function_arguments(p.oid),
      pg_get_function_result(p.oid)),
    'language ' || l.lanname,
    case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
    'set ' || array_to_string(p.proconfig, ' set ')) || ';'
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname`

const privileges = `
  select format('alter default privileges in schema public grant %s on %s to %I;',
    string_agg(lower(g.privilege_type), ', ' order by g.privilege_type),
    case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' else d.defaclobjtype::text end,
    g.grantee::regrole)
  from pg_default_acl d cross join lateral aclexplode(d.defaclacl) g
  where d.defaclnamespace = 'public'::regnamespace group by d.defaclobjtype, g.grantee order by d.defaclobjtype`

const list = (query: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql.unsafe(query).values, (rows) => rows.map(([line]) => String(line))),
  )

/** Lists the schema of the database behind the fiber's `SqlClient`. */
export const listSchema = Effect.gen(function* () {
  const sections = {
    "What the roles of accounts may do": (yield* list(privileges)).join("\n"),
    Tables: (yield* list(tables)).join("\n\n"),
    Indexes: (yield* list(indexes)).join("\n"),
    Triggers: (yield* list(triggers)).join("\n"),
    "Functions (their bodies: functions/<name>.sql)": (yield* list(functions)).join("\n"),
  }
  return Object.entries(sections)
    .filter(([, text]) => text !== "")
    .map(([title, text]) => `-- ${title}\n\n${text}\n`)
    .join("\n")
})
