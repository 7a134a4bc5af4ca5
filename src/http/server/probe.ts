import type { Request } from 'express'

/** Monitoring systems and load balancers send these every few seconds. */
export const isProbe = ({ path }: Request): boolean => /^\/(healthz|readyz|metrics)$/.test(path)
