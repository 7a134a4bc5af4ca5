import { requireNode } from './process/require-node.ts'

requireNode()
await import('./http/server/run-web.ts')
