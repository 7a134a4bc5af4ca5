/**
 * An attempt that takes longer than this is slow. The documentation tells merchants to respond within 5 s
 * (docs/merchants/webhooks.md).
 */
export const fastForMs = 5_000
/** The number of fast slots in a process. In measurements, 1 000 hanging attempts took about 40 MB of memory. */
export const maxFast = 1_000
export const maxFastPerBusiness = 250
/**
 * The maximum number of fast slots for one endpoint, and also the maximum shared by all of a business's endpoints at
 * one origin.
 */
export const maxFastPerEndpoint = 100
/**
 * The number of slow slots in a process. A business may hold at most 100 of them. An attempt that times out after 30 s
 * holds a slow slot for 25 s, so a business can make four such attempts per second.
 */
export const maxSlow = 400
export const maxSlowPerBusiness = 100
/** The maximum number of attempts in flight per process. Each attempt uses a socket. */
export const maxAttemptsInFlight = maxFast + maxSlow

/**
 * The initial window of an endpoint that is new or failing, and the smallest window that any endpoint can have. A
 * window is the current maximum number of fast slots for one endpoint.
 */
export const minWindow = 2
/**
 * The initial window of an endpoint whose last attempt succeeded. Each successful attempt increases the window by one,
 * up to `maxFastPerEndpoint`.
 */
export const trustedWindow = 50

/**
 * The maximum number of characters in all webhook bodies that a process is sending. A character takes up 1 or 2 bytes
 * in memory, and up to 3 more bytes while it is being sent. Most bodies have about 600 characters. The longest possible
 * body is that of a payment with full metadata. It has about 230 000 characters if JSON escapes all of the metadata.
 */
export const maxCharacters = 24_000_000
export const maxCharactersPerBusiness = 6_000_000

/**
 * How long a relay waits for a slot. The time is short, because a waiting relay holds up one of the 100 concurrent jobs
 * that all businesses share.
 */
export const maxWaitMs = 100
/**
 * After a relay has waited for a slot in vain, the relays of its business do not wait for slots for this long. Such a
 * wait means that the business's attempts are hanging, or that its endpoints cannot keep up with the events. Deliveries
 * that get no slot stay in MongoDB.
 */
export const noWaitForMs = 5_000
/**
 * The maximum numbers of relays that may be waiting for slots at the same time, per endpoint, per business and per
 * process.
 */
export const maxWaitsPerEndpoint = 500
export const maxWaitsPerBusiness = 1_000
export const maxWaits = 4_000

/**
 * When a slot becomes free, the waiting endpoints are served after this delay. Further slots become free during the
 * delay, so a single read of an endpoint's deliveries can fill several slots.
 */
export const serveAfterMs = 10
/**
 * A process discards the state of an endpoint that it has not used for this long. The endpoint's health remains stored
 * in MongoDB.
 */
export const forgetAfterMs = 60_000
