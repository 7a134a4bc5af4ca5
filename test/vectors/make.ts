import { readFileSync, writeFileSync } from 'node:fs'
import { badVectors } from './bad.ts'
import { goodVectors } from './good.ts'
import type { Vector } from './vector.ts'

const file = new URL('webhook-signatures.json', import.meta.url)

/** The vectors as they are made. */
export const vectors: Vector[] = [...goodVectors, ...badVectors]

/** The text of the file that endpoints' developers take. */
export const written = (): string => readFileSync(file, 'utf8')
export const asText = (): string => `${JSON.stringify(vectors, null, 2)}\n`

// After a change: node --import tsx test/vectors/make.ts
if (import.meta.filename === process.argv[1]) writeFileSync(file, asText())
