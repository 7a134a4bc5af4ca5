export const bareQueue = 'bare'

/** As many as the service's own worker has under way. */
export const concurrency = 200
