/** Amounts of money in SQL: exact in the database, and texts in the canonical form of `domain/Money` outside. */

/** SQL for a numeric as text. */
export const amountFrom = (numeric: string) =>
  `case when scale(trim_scale(${numeric})) < 2 then round(${numeric}, 2) else trim_scale(${numeric}) end::text`
