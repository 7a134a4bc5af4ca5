import type { Request } from 'express'

/** Whether a request is one of the probes that machines send every few seconds. */
export const isProbe = ({ path }: Request): boolean => /^\/(healthz|readyz|metrics)$/.test(path)
