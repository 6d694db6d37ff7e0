/** A text that is copied when pressed. */
import { IconCheck, IconCopy } from "@tabler/icons-react"
import { useState } from "react"
import { Button } from "react-aria-components"
import "./CopyText.css"

export interface CopyTextProps {
  readonly text: string
  /** The name of the text, such as "the request id". */
  readonly label: string
  /** Shown instead of the text, such as a formatted phone number. */
  readonly shown?: string
}

const said = 2_000

export const CopyText = ({ label, shown, text }: CopyTextProps) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), said)
  }
  return (
    <span className="CopyText">
      {shown ?? text}
      <Button className="CopyText-button" aria-label={isCopied ? "Copied" : `Copy ${label}`} onPress={copy}>
        {isCopied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      </Button>
    </span>
  )
}
