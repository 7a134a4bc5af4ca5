import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

export interface Manifest {
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  stringData?: Record<string, string>
  spec?: {
    template?: { metadata: { labels: Record<string, string> }; spec: Pod }
    selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>
    scaleTargetRef?: { name: string }
    triggers?: { type: string; metadata: Record<string, string> }[]
    [more: string]: unknown
  }
}

export type Pod = { terminationGracePeriodSeconds?: number; securityContext: object; containers: [Container] }

export interface Container {
  name: string
  image: string
  command: string[]
  ports?: { name: string; containerPort: number }[]
  lifecycle?: { preStop: { sleep: { seconds: number } } }
  securityContext: object
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } }
}

const root = join(import.meta.dirname, '../..')
export const readText = (path: string): string => readFileSync(join(root, path), 'utf8')

export function readYaml<Shape>(path: string): Shape[] {
  return parseAllDocuments(readText(path), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]?.message}`)
    return document.toJS({ maxAliasCount: 100 }) as Shape
  })
}

const folder = 'ops/kubernetes'
export const manifestFiles = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.name.endsWith('.yaml'))
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
