/** Shown after the sign-in. Opens the only account, or the one used last in this browser, or lets the user choose. */
import { Link, Navigate, useNavigate } from "@tanstack/react-router"
import { ListBox, ListBoxItem } from "react-aria-components"
import { problemOf } from "../../data/Problem.ts"
import { lastAccount } from "../../session/LastAccount.ts"
import { end } from "../../session/Session.ts"
import { useOrganisation } from "../../session/Organisation.ts"
import { PageHeading } from "../../shell/Page.tsx"
import { FirstLoad } from "../../shell/FirstLoad.tsx"
import { Key } from "../../ui/Key.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { SignInFrame } from "./SignInFrame.tsx"

const initials = (name: string): string =>
  name
    .split(/[\s_-]+/)
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join("")

export const ChooseAccountPage = () => {
  const navigate = useNavigate()
  const { data, error } = useOrganisation()
  if (error !== null) {
    return problemOf(error).status === 401 ? (
      <Navigate to="/sign-in" replace />
    ) : (
      <SignInFrame>
        <ProblemLine problem={problemOf(error)} />
      </SignInFrame>
    )
  }
  if (data === undefined) return <FirstLoad />
  const [only, ...others] = data.accounts
  const last = lastAccount()
  const usual = others.length === 0 ? only : data.accounts.find(({ slug }) => slug === last)
  if (usual !== undefined) return <Navigate to="/$account" params={{ account: usual.slug }} replace />
  return (
    <SignInFrame>
      <PageHeading name="Choose an account">Choose an account</PageHeading>
      <p className="quiet">
        Signed in as {data.email ?? data.name ?? data.subject}.{" "}
        <Link to="/sign-in" onClick={end}>
          Not you?
        </Link>
      </p>
      {only === undefined ? (
        <p className="SignIn-return">You aren’t a member of any account. Ask an owner to add you.</p>
      ) : (
        <>
          <ListBox
            className="SignIn-choices"
            aria-label="Accounts"
            autoFocus="first"
            items={data.accounts.map((account) => ({ ...account, id: account.slug }))}
            onAction={(slug) => navigate({ to: "/$account", params: { account: String(slug) } })}
          >
            {({ name, role, slug }) => (
              <ListBoxItem textValue={name} className="SignIn-choice">
                <span className="SignIn-initials" aria-hidden>
                  {initials(name)}
                </span>
                <span className="SignIn-choice-names">
                  <span className="name">{name}</span>
                  <span className="mono">{slug}</span>
                </span>
                <span className="SignIn-role">
                  {role}
                  {role === "viewer" && <span className="label">read only</span>}
                </span>
              </ListBoxItem>
            )}
          </ListBox>
          <p className="second-line SignIn-keys">
            <Key>↑</Key>
            <Key>↓</Key> choose, <Key>↵</Key> open. You can switch later from the top left.
          </p>
        </>
      )}
    </SignInFrame>
  )
}
