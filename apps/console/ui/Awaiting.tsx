/** In the place of something that was asked for: its shape until it is there, or why it did not come. */
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
  /** Where one thing was asked for: that it is not there. */
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
