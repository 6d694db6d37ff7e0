/** The development login: no password, and a token signed by the server itself. Shown only if the server offers it. */
import { useState } from "react"
import { useAct } from "../../data/Act.ts"
import { ask } from "../../data/Rest.ts"
import { begin } from "../../session/Session.ts"
import { Button } from "../../ui/Button.tsx"
import { Field } from "../../ui/Field.tsx"
import { ProblemLine } from "../../ui/ProblemLine.tsx"
import { Tag } from "../../ui/Tag.tsx"

interface SignedIn {
  readonly access_token: string
  readonly expires_in: number
}

export interface DevelopmentSignInProps {
  readonly account: string
  readonly isAllowed: boolean
}

export const DevelopmentSignIn = ({ account, isAllowed }: DevelopmentSignInProps) => {
  const [email, setEmail] = useState("dev@example.com")
  const { problem, run } = useAct()
  const signIn = () =>
    run(async () => {
      const { access_token, expires_in } = await ask<SignedIn>("/api/login", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email, account }),
      })
      begin(access_token, expires_in)
    })
  return (
    <form
      className="SignIn-development"
      onSubmit={(event) => {
        event.preventDefault()
        void signIn()
      }}
    >
      <p className="second-line">
        <Tag tone="warn">development only</Tag> no password, signed by this server
      </p>
      <div className="SignIn-person">
        <Field label={<span className="unseen">Email</span>} type="email" value={email} onChange={setEmail} />
        <Button type="submit" isDisabled={!isAllowed}>
          Sign in as this person
        </Button>
      </div>
      {problem !== undefined && <ProblemLine problem={problem} />}
    </form>
  )
}
