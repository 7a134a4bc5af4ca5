export const bareQueue = 'bare'

export interface BareJob {
  urls: string[]
  reference: string
}
