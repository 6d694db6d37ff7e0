/** Shown to members who are not owners, in place of a page for owners. */
import { Page } from "../shell/Page.tsx"
import { Empty } from "./Empty.tsx"

export const OwnersOnly = ({ what }: { readonly what: string }) => (
  <Page title={what} name={what}>
    <div className="Table-frame">
      <Empty title={`${what} are for owners`}>Ask an owner of this account. Members and viewers can’t see them.</Empty>
    </div>
  </Page>
)
