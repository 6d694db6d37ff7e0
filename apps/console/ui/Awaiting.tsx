/** A placeholder for requested data: its shape while it loads, or the reason why it failed. */
import { Failed } from "./Failed.tsx"
import { Loading } from "./Loading.tsx"

export interface AwaitingProps {
  /** "playbook", "calls" */
  readonly of: string
  readonly asked: {
    readonly isError: boolean
    readonly isLoading: boolean
    readonly error: unknown
    readonly refetch: () => unknown
  }
  /** For a single item: the sentence to show if it does not exist. */
  readonly notFound?: string
}

export const Awaiting = ({ asked, notFound, of }: AwaitingProps) => {
  if (asked.isLoading) return <Loading label={`The ${of}`} />
  if (!asked.isError) return null
  return (
    <Failed
      what={`The ${of}`}
      error={asked.error}
      onRetry={asked.refetch}
      {...(notFound !== undefined && { notFound })}
    />
  )
}
