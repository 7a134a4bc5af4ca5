import type { Request } from 'express'

/** Whether a request is a probe, which monitoring systems and load balancers send every few seconds. */
export const isProbe = ({ path }: Request): boolean => /^\/(healthz|readyz|metrics)$/.test(path)
