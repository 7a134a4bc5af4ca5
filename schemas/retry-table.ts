/** Seconds before attempts 2 to 8 of a delivery (SPEC 6.4). WEBHOOK_RETRY_SECONDS overrides them. */
export const retrySeconds = [30, 120, 900, 3_600, 14_400, 43_200, 86_400]

/** If the last one fails, the delivery becomes DEAD. */
export const maxAttempts = retrySeconds.length + 1
