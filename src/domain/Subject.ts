/** What calls are about, such as `energy tariffs`, as clients write it. Subjects are compared without regard to case. */
import { Schema } from "effect"
import { visible } from "./Name.ts"

export const Subject = Schema.String.check(
  Schema.isPattern(/^\S(?:.*\S)?$/u, { message: "must not be empty, and must not begin or end with a space" }),
  Schema.isMaxLength(200),
  visible,
)
