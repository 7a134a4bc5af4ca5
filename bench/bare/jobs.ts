export const bareQueue = 'bare'

/** A webhook to post to each URL. */
export interface BareJob {
  urls: string[]
  reference: string
}
