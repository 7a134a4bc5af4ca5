/** The waits in seconds before attempts 2 to 8 of a delivery (SPEC 6.4). WEBHOOK_RETRY_SECONDS replaces them. */
export const retrySeconds = [30, 120, 900, 3_600, 14_400, 43_200, 86_400]

/** The number of automatic attempts of a delivery. After the last attempt fails, the delivery is DEAD. */
export const maxAttempts = retrySeconds.length + 1
