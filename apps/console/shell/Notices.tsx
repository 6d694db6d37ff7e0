/** Short-lived notices at the bottom left: what was done and how to undo it, or that an export failed and how to repeat it. */
import { IconX } from "@tabler/icons-react"
import type { ReactNode } from "react"
import {
  Button,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components"
import "./Notices.css"

export interface Notice {
  readonly text: string
  readonly icon?: ReactNode
  /** The one action: "Undo", "Resume", "Try again". */
  readonly act?: { readonly word: string; readonly onAct: () => void }
}

const queue = new ToastQueue<Notice>({ maxVisibleToasts: 3 })

/** Shown for 4 s, or 10 s with an action, and longer under pointer or focus. */
export const notice = (said: Notice): void => {
  queue.add(said, { timeout: said.act === undefined ? 4_000 : 10_000 })
}

export const Notices = () => (
  <ToastRegion queue={queue} className="Notices" aria-label="Notices">
    {({ toast }) => (
      <Toast toast={toast} className="Notices-notice">
        {toast.content.icon}
        <ToastContent className="Notices-text">{toast.content.text}</ToastContent>
        {toast.content.act !== undefined && (
          <Button
            className="Notices-act"
            onPress={() => {
              toast.content.act?.onAct()
              queue.close(toast.key)
            }}
          >
            {toast.content.act.word}
          </Button>
        )}
        <Button slot="close" className="Notices-close" aria-label="Close">
          <IconX size={14} aria-hidden />
        </Button>
      </Toast>
    )}
  </ToastRegion>
)
