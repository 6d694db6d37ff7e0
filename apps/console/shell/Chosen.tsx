/** The chosen item of a list: its name, its actions and its details. */
import type { ReactNode } from "react"
import { Head, type HeadProps } from "./Head.tsx"
import "./Chosen.css"

export interface ChosenProps extends HeadProps {
  /** The item's name as plain text. */
  readonly name: string
  /** The heading, if it is more than the name. */
  readonly title?: ReactNode
}

export const Chosen = ({ children, name, title = name, ...head }: ChosenProps) => (
  <section className="Chosen" aria-label={name}>
    <Head {...head}>
      <h2 className="page-title">{title}</h2>
    </Head>
    {children}
  </section>
)
