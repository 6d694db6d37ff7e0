/** Shown to a signed-in user who is not a member of the account in the URL. */
import { Link } from "@tanstack/react-router"
import { useListedAccounts } from "../../session/Accounts.ts"
import { end } from "../../session/Session.ts"
import { PageHeading } from "../../shell/Page.tsx"
import { SignInFrame } from "./SignInFrame.tsx"

export const NotMemberPage = ({ account }: { readonly account: string }) => {
  const known = useListedAccounts().data?.items.find(({ slug }) => slug === account)
  return (
    <SignInFrame>
      <PageHeading name="Not a member">Not your account</PageHeading>
      <p className="quiet">You are signed in, but not a member of {known?.name ?? account}. Ask one of its owners.</p>
      <p>
        <Link to="/">Choose another account</Link> or{" "}
        <Link to="/sign-in" search={{ account }} onClick={end}>
          sign in as another user
        </Link>
      </p>
    </SignInFrame>
  )
}
