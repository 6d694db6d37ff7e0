/**
 * The search field of a list. Its text is kept in the URL as `q`, a moment after typing. `/` focuses it, Esc clears it.
 */
import { IconSearch } from "@tabler/icons-react"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { Input, SearchField as AriaSearchField } from "react-aria-components"
import { firstPage } from "../data/Filters.ts"
import { useShortcut } from "../shell/Shortcuts.ts"
import { Key } from "./Key.tsx"
import "./SearchField.css"

/** Milliseconds: long enough that a word causes one request, short enough not to feel like a wait. */
const settles = 250

export const SearchField = ({ label }: { readonly label: string }) => {
  const { q: value = "" } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [typed, setTyped] = useState(value)
  const [from, setFrom] = useState(value)
  /** The last text put into the URL. Text typed until the answer comes is kept. */
  const [sent, setSent] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  if (from !== value) {
    setFrom(value)
    if (value !== sent) {
      setSent(value)
      setTyped(value)
    }
  }
  useEffect(() => {
    if (typed === value) return undefined
    const q = typed.trim() === "" ? undefined : typed
    const timer = setTimeout(() => {
      setSent(q ?? "")
      void navigate({ to: ".", search: (before) => ({ ...before, ...firstPage, q }), replace: true })
    }, settles)
    return () => clearTimeout(timer)
  }, [typed, value, navigate])
  useShortcut("/", label, () => input.current?.focus())
  return (
    <AriaSearchField aria-label={label} className="SearchField" value={typed} onChange={setTyped}>
      <IconSearch aria-hidden />
      <Input ref={input} className="SearchField-input" placeholder={label} />
      <Key>/</Key>
    </AriaSearchField>
  )
}
