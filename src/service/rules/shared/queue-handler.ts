/** Handles one queued task, by the id of its job or file. */
export interface QueueHandler {
  /** The signal is aborted when the worker shuts down. After a rejection the queue delivers the task again later. */
  (id: string, signal: AbortSignal, free?: () => void): Promise<void>;
}
