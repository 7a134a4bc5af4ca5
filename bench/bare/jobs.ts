export const bareQueue = 'bare'
export const notifyQueue = 'bare-notify'

/** The number of attempts that a worker of the service runs at once. */
export const concurrency = 200
