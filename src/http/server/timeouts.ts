/** How long the HTTP server waits for slow clients. */
export interface Timeouts {
  /** For all headers of a request, after the connection opens or the first byte of a later request arrives. */
  headersMs: number
  /** For a whole request with its body. */
  requestMs: number
  /** The time before `minRequestRate` applies to a body. */
  bodyGraceMs: number
  /** For a client to read more of a response. */
  responseIdleMs: number
  /** How long a client may read a response more slowly than `minResponseRate`. */
  responseGraceMs: number
  /** For the next request of a connection. */
  keepAliveMs: number
  /** For the client to close the connection after the last response. */
  lingerMs: number
  /** How often the server checks these times. */
  checkEveryMs: number
}

export const timeouts: Timeouts = {
  // The headers have a few KB, even on the slowest mobile networks.
  headersMs: 15_000,
  // 8 MiB of products at 280 KB/s.
  requestMs: 30_000,
  // Allows for lost packets, which clients resend after 1, 3 and 7 s, and for the wait for MongoDB before the body is
  // read, which takes at most 8 s.
  bodyGraceMs: 10_000,
  responseIdleMs: 30_000,
  responseGraceMs: 30_000,
  // Load balancers keep idle connections for 60 s. They must close first, or a request could arrive at a closing
  // connection.
  keepAliveMs: 65_000,
  // Closing a connection while data arrives resets it, and the reset may overtake the response.
  lingerMs: 2000,
  checkEveryMs: 1000,
}
