/** Up to 5 s is a good response time (docs/webhooks.md). */
export const fastForMs = 5_000
/** Per process: 1 000 hanging attempts take about 40 MB (measured). */
export const mostFast = 1_000
/** A quarter for one business, a tenth for one endpoint, and for all endpoints of a business at one origin. */
export const mostFastOfBusiness = 250
export const mostFastOfEndpoint = 100
/** With a time-out of 30 s, 100 slow slots begin three attempts a second. */
export const mostSlow = 400
export const mostSlowOfBusiness = 100
/** Sockets that the attempts of a process may use in all. */
export const mostAttempts = mostFast + mostSlow

/** Slots of an endpoint that nothing is known of, and the fewest that a failing one keeps. */
export const fewestOfEndpoint = 2
/** Of an endpoint whose last attempt succeeded. Each success adds one, up to `mostFastOfEndpoint`. */
export const trustedEndpoint = 50

/**
 * Characters of the bodies in flight. One takes 1 or 2 bytes in memory, and up to 4 more on its way to the socket. Most bodies have 600, the
 * largest ones about 100 000.
 */
export const mostCharacters = 48_000_000
export const mostCharactersOfBusiness = 12_000_000

/**
 * How long a relay waits for a slot. Its job is held meanwhile, and 50 jobs run at a time for all businesses. A business for which that was too
 * short waits in MongoDB alone for some time: its attempts hang, or it has more of them than its endpoints take.
 */
export const longestWaitMs = 250
export const noWaitForMs = 5_000
/** Relays that wait: for one endpoint, for those of one business, and in all. */
export const mostWaitsOfEndpoint = 500
export const mostWaitsOfBusiness = 1_000
export const mostWaits = 4_000

/** How soon endpoints that wait are served after a slot became free: together, because each look costs a read. */
export const serveAfterMs = 10
/**
 * A delivery without a slot needs no job: the process attempts it as soon as there is one. The job shows that it waits, and wakes other
 * processes. So it comes back seldom, and those of one endpoint one by one.
 */
export const backAfterMs = 5_000
export const backEveryMs = 20

/** What a process knows of an endpoint without attempts is forgotten after this. MongoDB keeps how it did. */
export const forgetAfterMs = 60_000
