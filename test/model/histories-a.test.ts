/** Histories of random commands on the real engine and a real database, in virtual time: the invariants hold after each. */
import { suite } from "./Histories.ts"

suite(2)
