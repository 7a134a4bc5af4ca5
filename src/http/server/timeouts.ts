/** How long the HTTP server waits for whoever is slow; in ms. */
export interface Timeouts {
  /** For all headers of a request, from the opening of the connection or the first byte of a later request on. */
  headersMs: number
  /** For a whole request with its body. */
  requestMs: number
  /** Before a body has to come at the least rate. */
  bodyGraceMs: number
  /** For somebody to take more of an answer that waits for him. */
  responseIdleMs: number
  /** How long a client may read a response more slowly than `minResponseRate`. */
  responseGraceMs: number
  /** For the next request of a connection. */
  keepAliveMs: number
  /** For the other side to close after our last answer. */
  lingerMs: number
  /** How often it is looked whether any of this is over. */
  checkEveryMs: number
}

export const timeouts: Timeouts = {
  // Some KB, on the worst of mobile networks.
  headersMs: 15_000,
  // 8 MiB of products at 280 KB/s.
  requestMs: 30_000,
  // A lost packet is sent again after 1, 3 and 7 s. Our own wait for MongoDB (8 s) comes before a body is read, and fits in.
  bodyGraceMs: 10_000,
  responseIdleMs: 30_000,
  responseGraceMs: 30_000,
  // Load balancers keep a connection for 60 s: theirs must end first, or a request meets the closing.
  keepAliveMs: 65_000,
  // Closed while more is coming, a connection is reset, and the reset may overtake the answer.
  lingerMs: 2000,
  checkEveryMs: 1000,
}
