/**
 * Unsaved changes, kept in this browser by account and item, and restored when the item is opened.
 * Another user's saves merge automatically if they change other fields. If they change the same fields, the server
 * refuses with 412 and both are shown.
 */
import { useEffect, useState } from "react"
import { useAccount } from "./Account.tsx"
import type { Fields } from "./Fields.ts"

/** `value` is the saved state with the changes applied. */
export interface Draft<T extends object> extends Fields<T> {
  readonly changes: Partial<T>
  readonly isDirty: boolean
  /** The saved state when the changes began. */
  readonly base: T
  /** The fields changed in this draft that another user has saved since. */
  readonly overlap: ReadonlyArray<keyof T & string>
  readonly drop: () => void
  /** Rebases the changes onto the state that is saved now. */
  readonly rebase: () => void
  /** When the changes were last kept in this browser. */
  readonly keptAt: Date | undefined
  /** True if the changes are from an earlier visit. */
  readonly isTakenUp: boolean
}

interface Kept {
  readonly at: string
  readonly changes: object
  readonly before: object
}

const read = (key: string): Kept | undefined => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "null")
    return typeof kept === "object" && kept !== null && "changes" in kept ? (kept as Kept) : undefined
  } catch {
    return undefined
  }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Milliseconds of rest after which typed changes are kept. */
const settles = 300

const all = <T>(changes: T): T => changes

/**
 * `kind` and `id` name the item, such as "agent" and its id. The component needs a key made of both. `keepable` returns
 * the part of the changes that may be written to this browser's storage, which excludes secrets. It must be the same
 * function at every render.
 */
export const useDraft = <T extends object>(
  kind: string,
  id: string,
  saved: T,
  keepable: (changes: Partial<T>, saved: T) => Partial<T> = all,
): Draft<T> => {
  const { slug } = useAccount()
  const key = `parley.draft.${slug}.${kind}.${id}`
  const [first] = useState(() => read(key))
  const [changes, setChanges] = useState<Partial<T>>(() => (first?.changes ?? {}) as Partial<T>)
  const [base, setBase] = useState<T>(() => ({ ...saved, ...first?.before }))
  const [keptAt, setKeptAt] = useState(() => (first === undefined ? undefined : new Date(first.at)))
  const [isTakenUp, setTakenUp] = useState(first !== undefined)
  const names = Object.keys(changes) as Array<keyof T & string>
  const overlap = names.filter((name) => !same(base[name], saved[name]) && !same(changes[name], saved[name]))
  if (base !== saved && overlap.length === 0) setBase(saved)
  const isDirty = names.some((name) => !same(changes[name], saved[name]))

  useEffect(() => {
    if (!isDirty) {
      localStorage.removeItem(key)
      return undefined
    }
    const timer = setTimeout(() => {
      const at = new Date()
      const before = Object.fromEntries(Object.keys(changes).map((name) => [name, base[name as keyof T]]))
      const kept: Kept = { at: at.toISOString(), changes: keepable(changes, saved), before }
      localStorage.setItem(key, JSON.stringify(kept))
      setKeptAt((known) => (isTakenUp && known !== undefined ? known : at))
    }, settles)
    return () => clearTimeout(timer)
  }, [key, changes, base, saved, isDirty, isTakenUp, keepable])

  return {
    value: { ...saved, ...changes },
    changes,
    isDirty,
    base,
    overlap,
    keptAt: isDirty ? keptAt : undefined,
    isTakenUp: isDirty && isTakenUp,
    set: (field, value) => {
      setTakenUp(false)
      setChanges((before) => {
        const { [field]: _, ...others } = before
        return same(value, base[field]) ? (others as unknown as Partial<T>) : { ...before, [field]: value }
      })
    },
    drop: () => {
      setTakenUp(false)
      setChanges({})
    },
    rebase: () => setBase(saved),
  }
}
