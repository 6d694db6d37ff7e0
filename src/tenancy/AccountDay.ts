/** SQL for the moment of a statement, and the account's time zone and day then: `t` with `now`, `time_zone` and `today`. */
export const accountDay = `(
        select b.time_zone, c.now, (c.now at time zone b.time_zone)::date as today
        from budget b, (select clock_timestamp() as now) c) t`
