import { requireNode24 } from './platform/require-node.ts'

requireNode24()
await import('./run-web.ts')
