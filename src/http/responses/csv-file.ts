import type { Request } from 'express'

/** A response as a CSV file, for clients whose Accept header prefers CSV. */
export interface CsvFile {
  name: string
  text: string
}

/** Returns whether the Accept header prefers CSV to JSON. Without a preference, the response is JSON. */
export const prefersCsv = (req: Request): boolean => req.accepts(['application/json', 'text/csv']) === 'text/csv'
