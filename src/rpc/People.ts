/** People over the router. */
import * as People from "../campaigns/People.ts"
import { ErasedPerson } from "../domain/Erasure.ts"
import { Person } from "../domain/Person.ts"
import { Erasure } from "../erasure/Erasure.ts"
import * as Inputs from "./inputs/People.ts"
import { query, router, unkeyedMutation } from "./Procedure.ts"

export const people = router({
  get: query("read", Inputs.PersonKey, Person, ({ phone_number }) => People.find(phone_number)),
  erase: unkeyedMutation("write", Inputs.PersonKey, ErasedPerson, ({ phone_number }) =>
    Erasure.use(({ erasePerson }) => erasePerson(phone_number)),
  ),
})
