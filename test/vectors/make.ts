import { readFileSync, writeFileSync } from 'node:fs'
import { badVectors } from './bad.ts'
import { goodVectors } from './good.ts'
import type { Vector } from './vector.ts'

const file = new URL('webhook-signatures.json', import.meta.url)
export const vectors: Vector[] = [...goodVectors, ...badVectors]
export const written = (): string => readFileSync(file, 'utf8')
export const asText = (): string => `[\n${vectors.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`

// Run after a change: node test/vectors/make.ts
if (import.meta.filename === process.argv[1]) writeFileSync(file, asText())
