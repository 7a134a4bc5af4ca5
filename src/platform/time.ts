export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** All days are UTC, which is also the local time of Mauritania. */
export const toUtcDay = (at: Date): string => at.toISOString().slice(0, 10)
export const utcDayNumber = (at: Date): number => Math.floor(at.getTime() / dayMs)
export const startOfUtcDay = (day: number): Date => new Date(day * dayMs)
export const startOfHour = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs)

export const toIsoSecond = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`
