/** A dialog over the page. Esc closes it, and the focus returns to where it was. */
import type { ReactNode } from "react"
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components"
import { Button } from "./Button.tsx"
import "./Dialog.css"

export interface DialogProps {
  readonly title: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  /** False for a dialog that asks for a decision: a click outside does not close it. */
  readonly isDismissable?: boolean
  /** True if the action ends or deletes something. */
  readonly isAlert?: boolean
  readonly size?: "narrow" | "wide"
  readonly children: ReactNode
}

export const Dialog = ({
  children,
  isAlert = false,
  isDismissable = true,
  isOpen,
  onClose,
  size = "narrow",
  title,
}: DialogProps) => (
  <ModalOverlay
    className="Dialog-over"
    isOpen={isOpen}
    isDismissable={isDismissable}
    onOpenChange={(open) => !open && onClose()}
    data-modal=""
  >
    <Modal className={`Dialog Dialog-${size}`}>
      <AriaDialog className="Dialog-inside" role={isAlert ? "alertdialog" : "dialog"}>
        <Heading slot="title" level={2} className="Dialog-title">
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
)

/** The buttons of a dialog. The first is its main action. */
export const DialogActs = ({ after, children }: { readonly children: ReactNode; readonly after?: ReactNode }) => (
  <div className="Dialog-acts">
    {children}
    {after !== undefined && <span className="Dialog-after">{after}</span>}
  </div>
)

/** Leaves a dialog without its action, as Esc does. */
export const CancelButton = ({ onPress }: { readonly onPress: () => void }) => (
  <Button look="quiet" shortcut="esc" onPress={onPress}>
    Cancel
  </Button>
)
