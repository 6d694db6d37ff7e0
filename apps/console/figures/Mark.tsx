/** Parley's mark: two arcs that face each other. The left is the contact, the right the agent. */
import "./Mark.css"

export const Mark = ({ size = 22, isLoading = false }: { readonly size?: number; readonly isLoading?: boolean }) => (
  <svg className={`Mark ${isLoading ? "Mark-loading" : ""}`} width={size} height={size} viewBox="0 0 24 24" aria-hidden>
    <path className="Mark-contact" d="M9.8 3.2A8.6 8.6 0 0 0 9.8 18.4" />
    <path className="Mark-agent" d="M14.2 5.6A8.6 8.6 0 0 1 14.2 20.8" />
  </svg>
)
