/** The sign-in: the account, then the organisation's sign-in page. In development there is no password. */
import { IconCheck } from "@tabler/icons-react"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { problemOf } from "../../data/Problem.ts"
import { refusalOf, useAccountCheck, useListedAccounts } from "../../session/Accounts.ts"
import { accountOf, safeNext } from "../../session/Next.ts"
import { useServerSettings } from "../../session/ServerSettings.ts"
import { useSession } from "../../session/Session.ts"
import { PageHeading } from "../../shell/Page.tsx"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { DevelopmentSignIn } from "./DevelopmentSignIn.tsx"
import { ReturnNote } from "./ReturnNote.tsx"
import { SignInFrame } from "./SignInFrame.tsx"
import "../../ui/FilterChips.css"

export const SignInPage = () => {
  const search = useSearch({ from: "/sign-in" })
  const navigate = useNavigate()
  const next = safeNext(search.next)
  const [typed, setTyped] = useState(search.account ?? (next === undefined ? undefined : accountOf(next)))
  const [failure, setFailure] = useState<unknown>()
  const { data: settings } = useServerSettings()
  const session = useSession()
  const [before] = useState(session)
  const listed = useListedAccounts().data?.items ?? []
  const account = (typed ?? (listed.length === 1 ? listed[0]?.slug : undefined) ?? "").trim()
  const { data: validity, isFetching } = useAccountCheck(account)
  const known = listed.find(({ slug }) => slug === account)
  const refusal = refusalOf(account, validity)
  const goesOn = next ?? (account === "" ? "/" : `/${account}`)
  useEffect(() => {
    // Runs after a sign-in on this page, or in another tab while this one waited.
    if (session !== null && session !== before) void navigate({ to: goesOn, replace: true })
  }, [before, session, navigate, goesOn])

  const leave = async (provider: NonNullable<NonNullable<typeof settings>["oidc"]>) => {
    setFailure(undefined)
    try {
      // Loaded on demand: only a sign-in at an identity provider needs the library.
      await (await import("../../session/OidcSignIn.ts")).leave(provider, goesOn)
    } catch (error) {
      setFailure(error)
    }
  }

  return (
    <SignInFrame>
      <PageHeading name="Sign in">Sign in</PageHeading>
      {settings?.oidc && <p className="quiet">Your organisation’s sign-in page opens and brings you back here.</p>}
      <form
        className="SignIn-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (settings?.oidc && refusal === undefined) void leave(settings.oidc)
        }}
      >
        <div className="SignIn-account">
          <Field
            label="Account"
            name="account"
            value={account}
            onChange={setTyped}
            autoFocus
            problem={isFetching ? undefined : refusal}
            hint={listed.length > 0 ? "Lower-case letters, digits, - and _. Or pick one that is listed:" : undefined}
            after={
              validity?.valid === true && (
                <>
                  <IconCheck className="SignIn-known" aria-hidden />
                  <span className="SignIn-known">{known?.name ?? account}</span>
                </>
              )
            }
          />
        </div>
        {listed.length > 0 && (
          <div className="SignIn-listed">
            {listed.map(({ name, slug }) => (
              <button
                key={slug}
                type="button"
                className="FilterChips-chip"
                aria-current={slug === account ? "true" : undefined}
                onClick={() => setTyped(slug)}
              >
                {name}
              </button>
            ))}
          </div>
        )}
        {settings?.oidc && (
          <Button type="submit" look="primary" size="large" isDisabled={account === "" || refusal !== undefined}>
            Continue with {new URL(settings.oidc.issuer).hostname}
          </Button>
        )}
        {failure !== undefined && (
          <ProblemLine
            problem={{
              ...problemOf(failure),
              code: "sign_in_unreachable",
              detail: "The sign-in page of your organisation could not be reached. Try again in a moment.",
            }}
          />
        )}
      </form>
      {settings?.development_login === true && (
        <DevelopmentSignIn account={account} isAllowed={validity?.valid === true} />
      )}
      {next !== undefined && next !== "/" && <ReturnNote next={next} />}
    </SignInFrame>
  )
}
