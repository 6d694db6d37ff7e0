/** A WebSocket that is over when it is closed. Browsers wait a minute for a goodbye, which a dead line never brings. */

const goodbyeWithin = 1_000

export class LiveSocket extends WebSocket {
  private isTold = false

  constructor(url: string | URL, protocols?: string | Array<string>) {
    super(url, protocols)
    // Registered first: passes on only the first close event, so no listener is told twice.
    this.addEventListener("close", (event) => {
      if (this.isTold) event.stopImmediatePropagation()
      this.isTold = true
    })
  }

  override close(code?: number, reason?: string): void {
    super.close(code, reason)
    setTimeout(() => {
      if (!this.isTold) this.dispatchEvent(new CloseEvent("close", { code: 1006 }))
    }, goodbyeWithin)
  }
}
