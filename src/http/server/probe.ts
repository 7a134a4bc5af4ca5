import type { Request } from 'express'

/** Whether a machine asks, every few seconds. */
export const isProbe = ({ path }: Request): boolean => /^\/(healthz|readyz|metrics)$/.test(path)
