import { requireNode } from './platform/require-node.ts'

requireNode()
await import('./run-web.ts')
