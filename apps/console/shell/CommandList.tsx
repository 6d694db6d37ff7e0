/** One list of the open page's actions, all pages, and the server's search results. */
import { IconArrowRight, IconBolt, IconFileSearch, IconSearch } from "@tabler/icons-react"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import {
  Autocomplete,
  Collection,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from "react-aria-components"
import { useAccount } from "../data/Account.tsx"
import { useFinds } from "../data/Finds.ts"
import { Key } from "../ui/Key.tsx"
import { places } from "./Places.ts"
import { useShortcuts } from "./Shortcuts.ts"
import "./CommandList.css"

interface Entry {
  readonly id: string
  readonly word: string
  readonly aside?: string
  readonly keys?: string
  readonly act: () => void
}

/** Keys that move within a list, open or close it. They are not shown as actions. */
const moves = new Set(["⌘K", "J", "K", "↵", "Esc", "?"])

export const CommandList = ({ onClose }: { readonly onClose: () => void }) => {
  const { slug } = useAccount()
  const navigate = useNavigate()
  const [typed, setTyped] = useState("")
  const shortcuts = useShortcuts()
  const { isSearching, kinds } = useFinds(typed)
  const go = (to: string, params: Record<string, string> = {}, search: Record<string, string> = {}) => {
    void navigate({ to, params: { account: slug, ...params }, search })
  }
  const needle = typed.trim().toLowerCase()
  const holds = ({ word }: { readonly word: string }) => word.toLowerCase().includes(needle)
  const acts: ReadonlyArray<Entry> = shortcuts
    .filter(({ keys, word }) => !moves.has(keys) && !keys.startsWith("G ") && holds({ word }))
    .map(({ act, keys, word }) => ({ id: `do ${keys} ${word}`, word, keys, act }))
  const goals: ReadonlyArray<Entry> = places.filter(holds).map(({ keys, to, word }) => ({
    id: to,
    word,
    ...(keys !== undefined && { keys }),
    act: () => go(to),
  }))
  const found = kinds.map(({ finds, title }) => ({
    title,
    icon: IconFileSearch,
    entries: finds.map(({ aside, id, params, search, to, word }): Entry => ({
      id: `${to} ${id}`,
      word,
      aside,
      act: () => go(to, params, search),
    })),
  }))
  const sections = [
    { title: "Do", icon: IconBolt, entries: acts },
    { title: "Go", icon: IconArrowRight, entries: goals },
    ...found,
  ].filter(({ entries }) => entries.length > 0)
  return (
    <ModalOverlay
      className="Dialog-over"
      isOpen
      isDismissable
      onOpenChange={(open) => !open && onClose()}
      data-modal=""
    >
      <Modal className="Dialog CommandList">
        <Dialog aria-label="Find or do anything" className="CommandList-inside">
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField
              aria-label="Find or do anything"
              autoFocus
              className="CommandList-field"
              onKeyDown={({ key }) => key === "Escape" && onClose()}
            >
              <IconSearch aria-hidden />
              <Input className="CommandList-input" placeholder="A page, a name, a number, words of a call" />
              <Key>esc</Key>
            </SearchField>
            <Menu
              className="CommandList-list"
              aria-label="Results"
              renderEmptyState={() => <p className="CommandList-none">{isSearching ? "Searching…" : "No results."}</p>}
              onAction={(id) => {
                onClose()
                sections
                  .flatMap(({ entries }) => entries)
                  .find((entry) => entry.id === id)
                  ?.act()
              }}
            >
              {sections.map(({ entries, icon: Icon, title }) => (
                <MenuSection key={title} id={title}>
                  <Header className="label CommandList-title">{title}</Header>
                  <Collection items={entries}>
                    {({ aside, id, keys, word }) => (
                      <MenuItem id={id} textValue={word} className="CommandList-item">
                        <Icon aria-hidden />
                        <span className="ActionMenu-word">{word}</span>
                        {aside !== undefined && <span className="label CommandList-aside">{aside}</span>}
                        {keys !== undefined && <Key>{keys}</Key>}
                      </MenuItem>
                    )}
                  </Collection>
                </MenuSection>
              ))}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
