/** The erasure of people over the router. */
import { ErasedPerson } from "../domain/Erasure.ts"
import { Erasure } from "../erasure/Erasure.ts"
import * as Inputs from "./inputs/People.ts"
import { router, unkeyedMutation } from "./Procedure.ts"

export const people = router({
  erase: unkeyedMutation("write", Inputs.PersonKey, ErasedPerson, ({ phone_number }) =>
    Erasure.use(({ erasePerson }) => erasePerson(phone_number)),
  ),
})
