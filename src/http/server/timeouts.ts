/** How long the HTTP server waits for slow clients. */
export interface Timeouts {
  /**
   * For all headers of a request to arrive, measured from when the connection opens or, for a later request, from its
   * first byte.
   */
  headersMs: number
  /** For a whole request to arrive, including its body. */
  requestMs: number
  /** How long a body may take to arrive before `minRequestRate` applies. */
  bodyGraceMs: number
  /** For a client to read more of a response. */
  responseIdleMs: number
  /** How long a client may read a response more slowly than `minResponseRate`. */
  responseGraceMs: number
  /** For the next request on a connection. */
  keepAliveMs: number
  /** For the client to close the connection after the last response. */
  lingerMs: number
  /** How often the server checks these times. */
  checkEveryMs: number
}

export const timeouts: Timeouts = {
  // Headers are only a few KB, so this is enough even on the slowest mobile networks.
  headersMs: 15_000,
  // Enough for 8 MiB of products at 280 KB/s.
  requestMs: 30_000,
  // Allows for lost packets, which clients resend after 1, 3 and 7 s, and for up to 8 s of waiting for MongoDB before
  // the body is read.
  bodyGraceMs: 10_000,
  responseIdleMs: 30_000,
  responseGraceMs: 30_000,
  // Load balancers keep idle connections open for 60 s. They must close a connection first, or a request could arrive
  // while this server is closing it.
  keepAliveMs: 65_000,
  // Closing a connection while data is still arriving resets it, and the reset may overtake the response.
  lingerMs: 2000,
  checkEveryMs: 1000,
}
