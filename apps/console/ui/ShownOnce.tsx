/** Shows a secret once. The user closes its dialog by confirming that it is stored, not with Esc or a click outside. */
import type { ReactNode } from "react"
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components"
import { Button } from "./Button.tsx"
import { CopyText } from "./CopyText.tsx"
import { DialogActs } from "./Dialog.tsx"
import "./Dialog.css"
import "./ShownOnce.css"

export interface ShownOnceProps {
  readonly title: string
  /** "the key" */
  readonly what: string
  readonly text: string
  readonly onStored: () => void
  readonly children?: ReactNode
}

export const ShownOnce = ({ children, onStored, text, title, what }: ShownOnceProps) => (
  <ModalOverlay className="Dialog-over" isOpen isDismissable={false} isKeyboardDismissDisabled data-modal="">
    <Modal className="Dialog Dialog-wide">
      <AriaDialog className="Dialog-inside" role="alertdialog">
        <Heading slot="title" level={2} className="Dialog-title">
          {title}
        </Heading>
        <p className="quiet">Copy it now. It won’t be shown again.</p>
        <p className="ShownOnce mono">
          <CopyText text={text} label={what} />
        </p>
        {children}
        <DialogActs>
          <Button look="primary" onPress={onStored}>
            I have stored it
          </Button>
        </DialogActs>
      </AriaDialog>
    </Modal>
  </ModalOverlay>
)
