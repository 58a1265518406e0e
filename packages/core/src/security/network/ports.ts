/** Ports of services that do not speak HTTP, or that rule a machine. Below 1024 only 80 and 443 are fetched from. */
const refused: ReadonlySet<number> = new Set([
  // Databases, caches and queues.
  1433, 1521, 3306, 5432, 5433, 6379, 6380, 9042, 11211, 27017, 27018, 5672, 1883, 4222, 9092,
  // Docker, etcd, Kubernetes, agents of clusters.
  2375, 2376, 2379, 2380, 6443, 10250, 10255,
  // Files, desktops, mail, chat, directories, telephony.
  2049, 3389, 5900, 5901, 6000, 6665, 6666, 6667, 6668, 6669, 6697, 1719, 1720, 1723, 3268, 4045, 4190, 5060, 5061,
  10080,
])

/** Whether pages may be fetched from a port. */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && port <= 65_535 && !refused.has(port))
}
