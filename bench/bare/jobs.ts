export const bareQueue = 'bare'

/** One webhook per URL. */
export interface BareJob {
  urls: string[]
  reference: string
}
