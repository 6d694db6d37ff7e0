/**
 * A WebSocket that reports its close within a second. Browsers wait up to a minute for the close frame, which a dead
 * connection never delivers.
 */

const goodbyeWithin = 1_000

export class LiveSocket extends WebSocket {
  private isTold = false

  constructor(url: string | URL, protocols?: string | Array<string>) {
    super(url, protocols)
    // Registered first: stops all close events but the first, so that no listener is called twice.
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
