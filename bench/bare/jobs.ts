export const bareQueue = 'bare'
export const notifyQueue = 'bare-notify'

/** As many as the service's own worker has under way. */
export const concurrency = 200
