/** A bordered part of a page with a title. It is a section, so that screen readers can navigate to it. */
import { type ReactNode, useId } from "react"
import "./Panel.css"

export interface PanelProps {
  readonly title: ReactNode
  /** Right of the title in small text: how the figures came about, or a small action. */
  readonly aside?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

export const Panel = ({ aside, children, className = "", title }: PanelProps) => {
  const id = useId()
  return (
    <section className={`Panel ${className}`} aria-labelledby={id}>
      <header className="Panel-head">
        <h2 id={id} className="panel-title">
          {title}
        </h2>
        {aside !== undefined && <div className="Panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  )
}

/** The padded inside of a panel. Content that draws its own rows does not need it. */
export const PanelBody = ({ children }: { readonly children: ReactNode }) => (
  <div className="Panel-body">{children}</div>
)
