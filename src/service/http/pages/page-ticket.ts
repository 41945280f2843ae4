/** What the upload page's script needs of a ticket; it stands in the page as JSON. */
export interface PageTicket {
  readonly status: string;
  /** null until somebody names the file. */
  readonly filename: string | null;
  readonly sizeBytes: number | null;
  readonly upload: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | null;
  readonly multipart: PageMultipart | null;
  readonly nameUrl: string;
}

export interface PageMultipart {
  readonly partSizeBytes: number;
  readonly partCount: number;
  /** {n} stands for the part's number, counting from 1. */
  readonly partUrl: string;
  readonly completeUrl: string;
}
