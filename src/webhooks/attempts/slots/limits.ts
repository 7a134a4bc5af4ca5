/**
 * An attempt that takes longer than this is slow. The documentation requires a response within 5 s
 * (docs/merchants/webhooks.md).
 */
export const fastForMs = 5_000
/** Per process: 1 000 hanging attempts take about 40 MB (measured). */
export const maxFast = 1_000
export const maxFastPerBusiness = 250
/** The limit for one endpoint, and for all of a business's endpoints at one origin together. */
export const maxFastPerEndpoint = 100
/**
 * An attempt that times out after 30 s holds a slow slot for 25 s, so 100 slots allow a business four such attempts a
 * second.
 */
export const maxSlow = 400
export const maxSlowPerBusiness = 100
/** Attempts in flight per process. Each uses a socket. */
export const maxAttemptsInFlight = maxFast + maxSlow

/** The first window of an unknown or failing endpoint, and the smallest window of any endpoint. */
export const minWindow = 2
/** The first window of an endpoint whose last attempt succeeded. Each success adds one, up to `maxFastPerEndpoint`. */
export const trustedWindow = 50

/**
 * The maximum number of characters in the bodies in flight. A character takes 1 or 2 bytes in memory, and up to 3 more
 * while it is being sent. Most bodies have 600 characters, and the largest about 100 000.
 */
export const maxCharacters = 48_000_000
export const maxCharactersPerBusiness = 12_000_000

/**
 * How long a relay waits for a slot. The wait is short because the relay blocks one of the 100 jobs that all businesses
 * share.
 */
export const maxWaitMs = 100
/**
 * After one of a business's relays has waited in vain, the business's relays do not wait for slots for this long.
 * Deliveries without a slot stay in MongoDB. A wait in vain indicates that the business's attempts are hanging, or that
 * its endpoints cannot keep up.
 */
export const noWaitForMs = 5_000
/** How many relays may wait for a slot: per endpoint, per business and per process. */
export const maxWaitsPerEndpoint = 500
export const maxWaitsPerBusiness = 1_000
export const maxWaits = 4_000

/**
 * Waiting endpoints are served this long after a slot becomes free. During the delay, more slots become free and share
 * one read of the endpoint's deliveries.
 */
export const serveAfterMs = 10
/**
 * How long a job waits if it found no slot for its delivery. This process does not need the job: it attempts the
 * delivery as soon as a slot is free. The job only shows staff that the delivery is waiting, and wakes other processes.
 * So it rarely runs, and an endpoint's jobs run `backEveryMs` apart.
 */
export const backAfterMs = 5_000
export const backEveryMs = 50

/** A process forgets an endpoint that has had no attempts for this long. MongoDB keeps its health. */
export const forgetAfterMs = 60_000
