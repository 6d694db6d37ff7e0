/** A page: its title for the tab and for screen readers, its breadcrumbs, and its heading with the actions beside it. */
import { Link, type LinkProps } from "@tanstack/react-router"
import { Fragment, type ReactNode, useEffect, useRef } from "react"
import { createPortal } from "react-dom"
import { useCrumbPlace } from "./CrumbPlace.ts"
import { Head, type HeadProps } from "./Head.tsx"
import "./Page.css"

export interface Crumb extends Pick<LinkProps, "to" | "params"> {
  readonly word: string
}

export interface PageProps extends HeadProps {
  /** The heading: a name, or the answer to the page's first question. */
  readonly title: ReactNode
  /** `title` as plain text, if it is not a text. Shown in the tab and in the breadcrumbs. */
  readonly name: string
  readonly crumbs?: ReadonlyArray<Crumb>
  /** For pages that render their heading inside their columns. */
  readonly isHeadless?: boolean
  readonly children: ReactNode
}

export const Page = ({ acts, beside, children, crumbs = [], isHeadless, name, second, title }: PageProps) => (
  <>
    <Crumbs crumbs={crumbs} name={name} />
    {!isHeadless && (
      <div className="Page-head">
        <Head acts={acts} beside={beside} second={second}>
          <PageHeading name={name}>{title}</PageHeading>
        </Head>
      </div>
    )}
    {children}
  </>
)

/** The page's only `h1`. A change of route moves the focus of keyboard and screen readers here. */
export const PageHeading = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${name} – Parley`
  }, [name])
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} className="page-title">
      {children}
    </h1>
  )
}

const Crumbs = ({ crumbs, name }: { readonly crumbs: ReadonlyArray<Crumb>; readonly name: string }) => {
  const place = useCrumbPlace()
  if (place === null) return null
  return createPortal(
    <nav className="Page-crumbs" aria-label="Breadcrumb">
      {crumbs.map(({ word, ...link }) => (
        <Fragment key={word}>
          <Link {...link} className="Page-crumb">
            {word}
          </Link>
          <span aria-hidden>/</span>
        </Fragment>
      ))}
      <span className="Page-here" aria-current="page">
        {name}
      </span>
    </nav>,
    place,
  )
}
